"""Settings of all tests."""

import signal

from hypothesis import settings

settings.register_profile("proxsplit", deadline=None, derandomize=True)
settings.load_profile("proxsplit")

# A shell starts background jobs with Ctrl-C ignored, and Python leaves it so; the tests of Ctrl-C need it.
signal.signal(signal.SIGINT, signal.default_int_handler)
