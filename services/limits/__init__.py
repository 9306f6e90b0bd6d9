"""Limits: how often somebody may ask, and how much a tenant may have."""

from services.limits.crowds import Crowds
from services.limits.fleet import Fleet, TooManyTurns
from services.limits.policies import Policies, Policy, policies_of
from services.limits.quotas import QUOTAS, QuotaExceeded, Quotas
from services.limits.rates import Rates, Standing
from services.limits.refusals import RateExceeded, TooManyGuests

__all__ = [
    "QUOTAS",
    "Crowds",
    "Fleet",
    "Policies",
    "Policy",
    "QuotaExceeded",
    "Quotas",
    "RateExceeded",
    "Rates",
    "Standing",
    "TooManyGuests",
    "TooManyTurns",
    "policies_of",
]
