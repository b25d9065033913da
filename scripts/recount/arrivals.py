"""New visitors: in which hour each visitor counts as new, decided record by record as docs/metrics.md says."""
import bisect

from recount.clock import HOUR, instant


class Arrivals:
    """Hours of zones whose clocks are set by whole hours."""

    def __init__(self, zone, horizon):
        self.zone, self.horizon = zone, horizon
        self.of = {}  # of a visitor: the hour that counts them, and their last day
        self.booked = {}  # how many visitors are new in an hour

    def day(self, at):
        return instant(at, self.zone).date().toordinal()

    def count(self, visitor, at):
        hour, day = at - at % HOUR, self.day(at)
        known = self.of.get(visitor)
        if known is None:
            self.of[visitor] = hour, day
            self.book(hour, 1)
            return
        counting, last = known
        if hour < counting and self.day(counting) - day <= self.horizon:
            self.of[visitor] = hour, last
            self.book(counting, -1)
            self.book(hour, 1)
        elif day - last > self.horizon:
            self.of[visitor] = hour, day
            self.book(hour, 1)
        else:
            self.of[visitor] = counting, max(last, day)

    def book(self, hour, number):
        self.booked[hour] = self.booked.get(hour, 0) + number

    def within(self, begin, end):
        if not hasattr(self, "sorted") or len(self.sorted) != len(self.booked):
            self.sorted = sorted(self.booked)
        hours = self.sorted[bisect.bisect_left(self.sorted, begin):bisect.bisect_left(self.sorted, end)]
        return sum(self.booked[hour] for hour in hours)
