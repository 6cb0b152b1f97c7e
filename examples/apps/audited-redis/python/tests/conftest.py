from collections.abc import Iterator

import pytest
from deployment import Deployment


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    built = Deployment()
    yield built
    built.close()
