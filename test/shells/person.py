"""Runs a program in a pseudo-terminal and plays a person at it.

stdin: {"argv": [...], "env": {...}, "columns": 80, "steps": [{"wait": "text", "send": "keys"}]}; null closes the terminal
stdout: {"output": "...", "status": 0}; a text that never appears ends the program and is named in "missing".
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

PATIENCE_S = 20

asked = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.execvpe(asked["argv"][0], asked["argv"], asked["env"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, asked["columns"], 0, 0))

output = b""
until = time.monotonic() + PATIENCE_S


def read_some():
    """Whether the program is still running."""
    global output
    try:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if not ready:
            return True
        piece = os.read(terminal, 65536)
    except OSError:
        return False
    output += piece
    return piece != b""


missing = None
seen = 0
for step in asked["steps"]:
    wanted = step["wait"].encode()
    while wanted not in output[seen:]:
        if not read_some() or time.monotonic() > until:
            missing = step["wait"]
            break
    if missing is not None:
        break
    seen = output.index(wanted, seen) + len(wanted)
    if step["send"] is None:
        os.close(terminal)
    else:
        os.write(terminal, step["send"].encode())

if missing is not None:
    os.kill(pid, 9)
while read_some() and time.monotonic() < until:
    pass
if time.monotonic() >= until:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
json.dump({"output": output.decode(errors="replace"), "status": os.waitstatus_to_exitcode(status), "missing": missing}, sys.stdout)
