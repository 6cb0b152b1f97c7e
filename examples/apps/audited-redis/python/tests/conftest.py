from collections.abc import Iterator

import pytest
from house import House


@pytest.fixture
def house() -> Iterator[House]:
    built = House()
    yield built
    built.close()
