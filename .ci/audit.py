"""Asks for known vulnerabilities of the versions in a requirements file, and says plainly what could not be asked.

pip-audit, installed beside this script's Python, takes a package that its service does not know for one without
vulnerabilities. Fails only when there is one.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 120


def asked(requirements: Path) -> list[dict[str, Any]] | str:
    """What pip-audit reports of each package, or why it reports nothing."""
    program = Path(sys.executable).with_name("pip-audit")
    command = [str(program), "--no-deps", "--disable-pip", "--format", "json", "-r", str(requirements)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} seconds"
    try:
        reported: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
    return reported


def main() -> int:
    reported = asked(Path(sys.argv[1]))
    if isinstance(reported, str):
        print(f"NOT CHECKED for known vulnerabilities: {reported}")
        return 0
    unknown = [each["name"] for each in reported if "vulns" not in each]
    found = [f"{each['name']} {each['version']}: {fault['id']}" for each in reported for fault in each.get("vulns", [])]
    if unknown:
        print(f"NOT CHECKED, {len(unknown)} of {len(reported)}: the service cannot be asked from here or does not know")
        print("  " + ", ".join(unknown))
    print(f"{len(reported) - len(unknown)} of {len(reported)} packages checked, {len(found)} known vulnerabilities")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
