"""footfall as a command, and the comparison of what it answers."""
import collections
import decimal
import json
import subprocess
import sys
import time

ROUNDED = decimal.Decimal("0.000001")
# What is divided by what, and by how much an answer may be rounded.
RATES = {"bounceRate": ("bounces", "sessions", ROUNDED), "engagementRate": ("engaged", "sessions", ROUNDED),
         "pagesPerSession": ("viewsOfPeople", "sessions", ROUNDED), "avgDurationMs": ("durationMs", "sessions", 1)}


def number(text):
    return None if text in (None, "") else decimal.Decimal(text)


class Footfall:
    def __init__(self, program, data):
        self.program, self.data = program, data
        self.compared, self.differences = collections.Counter(), []

    def run(self, *args, **more):
        ran = subprocess.run([self.program, *args, "--data", self.data], capture_output=True, text=True, **more)
        if ran.returncode:
            sys.exit(f"footfall {' '.join(args)}: exit code {ran.returncode}: {ran.stderr}")
        return ran.stdout

    def json(self, *args):
        return json.loads(self.run(*args, "--json"), parse_float=decimal.Decimal)

    def query(self, *args):
        return self.json("query", *args)

    def equal(self, command, what, have, want, error=0):
        """An estimate is equal if it is within four of its standard errors."""
        self.compared[command] += 1
        if isinstance(want, int) and error and have is not None:
            ok = abs(have - want) <= 4 * error * want
        else:
            ok = have == want
        if not ok:
            self.differences.append(f"{command}, {what}: footfall says {have}, the recount {want}")

    def rate(self, command, what, have, over, under, within=ROUNDED):
        """A quotient, rounded; none without a divisor."""
        exact = decimal.Decimal(over) / under if under else None
        near = have is not None and exact is not None and abs(have - exact) <= within
        self.equal(command, what, exact if near else have, exact)

    def figures(self, command, what, have, want, names):
        for name in names:
            self.equal(command, f"{what}: {name}", have[name], want[name])
        for name in "valueSum", "valueMin", "valueMax":
            self.equal(command, f"{what}: {name}", number(have[name]), want[name])
        self.equal(command, f"{what}: uniqueVisitors", have["uniqueVisitors"], want["uniqueVisitors"], have["uniqueVisitorsError"])
        if "newVisitors" in have:
            self.equal(command, f"{what}: newVisitors", have["newVisitors"], want["newVisitors"])
            if have["uniqueVisitorsError"] == 0:
                self.equal(command, f"{what}: returningVisitors", have["returningVisitors"], want["returningVisitors"])
        for name, (over, under, within) in RATES.items():
            self.rate(command, f"{what}: {name}", have[name], want[over], want[under], within)


def wait_for_broker(f, log):
    """Wait until `footfall dev` takes events."""
    for _ in range(300):
        sent = [f.program, "produce", "--from-file", "-", "--format", "events", "--data", f.data]
        if "nothing was sent" in subprocess.run(sent, input="", capture_output=True, text=True).stderr:
            return
        if log.poll() is not None:
            sys.exit("footfall dev has ended")
        time.sleep(0.2)
    sys.exit("footfall dev takes no events")


def wait_for(f, log, count, lanes=("stats",)):
    """Wait until the pipeline has counted all records."""
    for _ in range(500):
        state = subprocess.run([f.program, "status", "--data", f.data, "--json"], capture_output=True, text=True)
        if state.returncode in (0, 1):  # 1 is about a partition.
            checkpoints = json.loads(state.stdout)["checkpoints"]
            if all(counted([c for c in checkpoints if c["lane"] == lane], count) for lane in lanes):
                return
        if log.poll() is not None:
            sys.exit("footfall dev has ended")
        time.sleep(1)
    sys.exit("footfall dev does not get on")


def counted(checkpoints, count):
    return sum(c["lag"] for c in checkpoints) == 0 and sum(c["to"] for c in checkpoints) >= count and all(
        c["done"] or c["flush"] == 0 for c in checkpoints)
