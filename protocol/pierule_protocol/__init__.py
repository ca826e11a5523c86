import sys

if sys.version_info < (3, 11, 3):
    from pierule_protocol import timeouts

    timeouts.mend()
