"""What ails an installation, and what to do about it: `seedlog doctor`.

Each check looks at one thing and yields what it finds, good or bad, so that a page
without a complaint still says what was looked at.
"""

from services.cli.doctor.examination import examine
from services.cli.doctor.finding import Patient

__all__ = ["Patient", "examine"]
