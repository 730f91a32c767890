"""The clients: of one instance by its token, and of the operator by an admin token."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Optional

from ._admin_routes import AdminRoutes
from ._events import read_export, stream_events
from ._instance_routes import InstanceRoutes
from ._repeats import Repeats
from ._sender import RequestSender
from .types import Envelope, ImportResult


class InstanceClient(InstanceRoutes):
    """One instance, by its own token; or by an admin token that acts for an instance."""

    def __init__(
        self,
        base_url: str,
        token: Optional[str] = None,
        *,
        admin_token: Optional[str] = None,
        instance: Optional[str] = None,
        timeout: float = 120.0,
        repeats: Optional[Repeats] = None,
    ) -> None:
        if (token is None) == (admin_token is None or instance is None):
            raise TypeError("pass token, or admin_token and instance")
        credential = (
            {"token": token}
            if token is not None
            else {"admintoken": str(admin_token), "instance": str(instance)}
        )
        super().__init__(
            RequestSender(base_url, credential, timeout=timeout, repeats=repeats)
        )

    def stream(self, *, after: Optional[int] = None) -> Iterator[Envelope]:
        """Events as they happen, for as long as you iterate.

        after: the `seq` of the last event that was handled; without it only new events
            come. A stream that breaks is opened again without a gap or a repeat.
        """
        return stream_events(self._sender, after)

    def import_credential(self, lines: Iterable[bytes]) -> ImportResult:
        """Takes over a linked device from another program.

        lines: the credential as lines of JSON, each with its line break; a file that is
            open for reading bytes is such lines. They are sent as they come, up to 64 MiB.
        """
        result: ImportResult = self._sender.send_lines("/instance/import", lines)
        return result


class AdminClient(AdminRoutes):
    """The operator, by an admin token."""

    def __init__(
        self,
        base_url: str,
        admin_token: str,
        *,
        timeout: float = 120.0,
        repeats: Optional[Repeats] = None,
    ) -> None:
        self._base_url = base_url
        self._timeout = timeout
        self._repeats = repeats
        super().__init__(
            RequestSender(
                base_url,
                {"admintoken": admin_token},
                timeout=timeout,
                repeats=repeats,
            )
        )

    def instance(self, token: str) -> InstanceClient:
        """The client of an instance, by its token."""
        return InstanceClient(
            self._base_url, token, timeout=self._timeout, repeats=self._repeats
        )

    def export_instance(self, id: str) -> Iterator[Dict[str, Any]]:
        """Everything that is stored of an instance, record by record."""
        return read_export(self._sender, id)
