"""Limits: how often somebody may ask, and how much a tenant may have."""

from services.limits.crowds import Crowds
from services.limits.policies import Policies, Policy, policies_of
from services.limits.quotas import QUOTAS, QuotaExceeded, Quotas
from services.limits.rates import Rates, Standing
from services.limits.refusals import RateExceeded, TooManyGuests

__all__ = [
    "QUOTAS",
    "Crowds",
    "Policies",
    "Policy",
    "QuotaExceeded",
    "Quotas",
    "RateExceeded",
    "Rates",
    "Standing",
    "TooManyGuests",
    "policies_of",
]
