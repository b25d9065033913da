"""New visitors: in which hour each visitor counts as new, decided record by record as docs/metrics.md says."""
import bisect
import collections

from recount.clock import HOUR, instant


def day_of_week(ordinal):
    return (ordinal - 1) % 7  # The first of January of year 1 was a Monday.


class Arrivals:
    """Hours of zones whose clocks are set by whole hours."""

    def __init__(self, zone, horizon):
        self.zone, self.horizon = zone, horizon
        self.of = {}  # of a visitor: the hour that counts them, and their last day
        self.came = collections.defaultdict(list)  # of a visitor, for each time of being new: the first day, and all days
        self.booked = {}  # how many visitors are new in an hour

    def day(self, at):
        return instant(at, self.zone).date().toordinal()

    def count(self, visitor, at):
        hour, day = at - at % HOUR, self.day(at)
        known = self.of.get(visitor)
        self.come(visitor, hour, day, known)
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

    def come(self, visitor, hour, day, known):
        if known is None or day - known[1] > self.horizon:
            self.came[visitor].append([day, {day}])
            return
        times = self.came[visitor][-1]
        if hour < known[0] and self.day(known[0]) - day <= self.horizon:
            times[0] = day
        if day - day_of_week(day) >= times[0] - day_of_week(times[0]):
            times[1].add(day)

    def retention(self):
        """How many visitors were new in a week, and in which later weeks how many of them came, by the ordinals of Mondays."""
        new, back = collections.Counter(), collections.Counter()
        for times in self.came.values():
            for first, days in times:
                week = first - day_of_week(first)
                new[week] += 1
                back.update((week, later) for later in {day - day_of_week(day) for day in days} if later > week)
        return new, back

    def book(self, hour, number):
        self.booked[hour] = self.booked.get(hour, 0) + number

    def within(self, begin, end):
        if not hasattr(self, "sorted") or len(self.sorted) != len(self.booked):
            self.sorted = sorted(self.booked)
        hours = self.sorted[bisect.bisect_left(self.sorted, begin):bisect.bisect_left(self.sorted, end)]
        return sum(self.booked[hour] for hour in hours)
