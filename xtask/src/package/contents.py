"""Says what is in archives and other files, as JSON: `python3 contents.py FILE…`."""

import gzip
import json
import sys
import tarfile
import zipfile

COMPILED = (".so", ".dylib", ".dll", ".pyd", ".node", ".wasm")


def members(name):
    """Name and bytes of each file in an archive."""
    if name.endswith((".whl", ".jar")):
        with zipfile.ZipFile(name) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield entry.filename, archive.read(entry)
    elif name.endswith((".crate", ".tar.gz", ".tgz")):
        with tarfile.open(name) as archive:
            for entry in archive:
                if entry.isfile():
                    yield entry.name, archive.extractfile(entry).read()
    else:
        with open(name, "rb") as file:
            yield name, file.read()


def described(name):
    files = list(members(name))
    compiled = [(path, data) for path, data in files if path.endswith(COMPILED)]
    return {
        "files": len(files),
        "names": sorted({path.rsplit("/", 1)[-1] for path, _ in files}),
        "unpacked_bytes": sum(len(data) for _, data in files),
        "compiled": [
            {"name": path, "bytes": len(data), "gzip_bytes": len(gzip.compress(data, 9))} for path, data in compiled
        ],
    }


print(json.dumps([described(name) for name in sys.argv[1:]]))
