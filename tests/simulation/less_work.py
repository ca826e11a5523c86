"""Have simulations do less of what would be most of their work. Imported before the server.

The store keeps 4 buckets in place of 64, and nodes look for due clocks 5 times a second in place of
20. Nothing in the server depends on these numbers, but a process has them for good: simulations run
in processes of their own.
"""

from pierule_protocol import buckets

buckets.BUCKETS = 4

from pierule_server.rooms import deadlines  # noqa: E402 - it would count the buckets

deadlines.INTERVAL = 0.2
