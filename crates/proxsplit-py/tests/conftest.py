"""Settings of all tests."""

from hypothesis import settings

settings.register_profile("proxsplit", deadline=None, derandomize=True)
settings.load_profile("proxsplit")
