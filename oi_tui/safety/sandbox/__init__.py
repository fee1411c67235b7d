"""The cage that code runs in: what it may write, read and reach, held by the operating system.

One interface: a `Place` (place.py) says what is wanted, `plan.plan_for` makes a `Plan` of it, which is what a process
has to be started through. Nothing here starts code itself, and nothing falls back to no cage: `plan_for` raises
`Unusable` with the cause. Linux has bubblewrap (bubblewrap.py), or Landlock where that is missing (landlock.py); macOS
seatbelt; Windows a plan that nothing uses yet.
"""
