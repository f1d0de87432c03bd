"""Lists the licences of everything that is installed beside this script's Python; fails on one that binds users."""

import re
import sys
from importlib.metadata import PackageMetadata, distributions

REFUSED = re.compile(r"\bA?GPL|GNU (Affero )?General Public", re.IGNORECASE)
"""Strong copyleft. The LGPL and the MPL stay within their own files and are welcome."""


def licence_of(metadata: PackageMetadata) -> str:
    classifiers = [each.rsplit(" :: ", 1)[-1] for each in metadata.get_all("Classifier", []) if "License ::" in each]
    stated = metadata.get("License-Expression") or ", ".join(classifiers) or metadata.get("License") or "not stated"
    return stated.strip().splitlines()[0][:60]


def main() -> int:
    found = sorted((each.metadata["Name"], each.version, licence_of(each.metadata)) for each in distributions())
    for name, version, licence in found:
        print(f"{name:24} {version:16} {licence}")
    refused = [name for name, _, licence in found if REFUSED.search(licence.replace("LGPL", ""))]
    print(f"{len(found)} packages" + (f"; refused: {', '.join(refused)}" if refused else ""))
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
