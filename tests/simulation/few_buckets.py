"""Have the store keep few buckets, before anybody has imported how many there are.

Nodes look after all 64 of them several times a second, which is most of what a simulation would do.
Nothing in the server depends on their number, but a process has one for good: simulations run in
processes of their own.
"""

from pierule_protocol import buckets

buckets.BUCKETS = 4
