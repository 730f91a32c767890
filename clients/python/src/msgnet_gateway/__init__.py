"""The client of the msgnet gateway."""

from . import types
from ._repeats import NEVER, Repeats
from .client import AdminClient, InstanceClient
from .errors import GatewayError, GatewayUnreachable, OutcomeUnknown, WebhookRefused
from .webhooks import verify_webhook

__version__ = "0.1.0"

__all__ = [
    "NEVER",
    "AdminClient",
    "GatewayError",
    "GatewayUnreachable",
    "InstanceClient",
    "OutcomeUnknown",
    "Repeats",
    "WebhookRefused",
    "types",
    "verify_webhook",
]
