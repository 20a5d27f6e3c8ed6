"""What changed between two versions of a descriptor, and whether callers notice. Pure: no files, no sockets."""

from skillproto.publishing.comparison.changes import Bump, Change, Comparison
from skillproto.publishing.comparison.comparing import diff
from skillproto.publishing.comparison.excuses import finding_in
from skillproto.publishing.comparison.excuses import lines as suppression_lines

__all__ = ["Bump", "Change", "Comparison", "diff", "finding_in", "suppression_lines"]
