"""Who may call: a bearer token for admin routes where one is demanded, and the signed tokens of the product."""

from __future__ import annotations

import hmac
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphwright_upgrade_server.failures import INVALID_TOKEN, NO_TOKEN, UNKNOWN_CALLER, Failure


@dataclass(frozen=True, slots=True)
class Access:
    """What is demanded of callers.

    `admin_token`: what admin routes want as their bearer token; None: they are open. `client_key` and `client_secret`:
    what a client token holds, and what it is signed with, once the setting `toCheckAuth` is on.
    """

    admin_token: str | None = field(default=None, repr=False)
    client_key: str | None = field(default=None, repr=False)
    client_secret: str | None = field(default=None, repr=False)

    @property
    def knows_clients(self) -> bool:
        """Whether there is a key and a secret to check client tokens with."""
        return bool(self.client_key and self.client_secret)

    def require_admin(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Raise the 401 of admin routes unless the call brings the token that is demanded, if one is."""
        if self.admin_token is None:
            return
        given = _bearer(headers)
        if given is None or not hmac.compare_digest(given.encode(), self.admin_token.encode()):
            raise Failure(
                401,
                f"Authorization is required for request on {method} {path}",
                UNKNOWN_CALLER,
                name="AuthorizationRequiredError",
            )

    def require_client(self, headers: Mapping[str, str]) -> None:
        """Raise the 401 of client routes unless the call brings a token of the product, signed with our secret."""
        token = _bearer(headers)
        if token is None:
            raise Failure(401, "Token is not present in request header from client", NO_TOKEN)
        if not self.client_secret or not self.client_key:
            raise Failure(401, "Provided token is invalid", INVALID_TOKEN)
        # Not at the top: hardly anybody switches tokens on, and cryptography is slow to load.
        import jwt

        try:
            # How long the secret is, its owner decided; a server has nobody to warn of it at each request.
            with warnings.catch_warnings(action="ignore"):
                claims = jwt.decode(token, self.client_secret, algorithms=["HS256"])
        except jwt.ExpiredSignatureError:
            raise Failure(401, "jwt expired", INVALID_TOKEN, name="TokenExpiredError") from None
        except jwt.InvalidSignatureError:
            raise Failure(401, "invalid signature", INVALID_TOKEN, name="JsonWebTokenError") from None
        except jwt.InvalidAlgorithmError:
            raise Failure(401, "invalid algorithm", INVALID_TOKEN, name="JsonWebTokenError") from None
        except jwt.PyJWTError:
            raise Failure(401, "jwt malformed", UNKNOWN_CALLER, name="JsonWebTokenError") from None
        if claims.keys() - {"iat", "exp"} != {"APIKey"} or claims["APIKey"] != self.client_key:
            raise Failure(401, "Provided token is invalid", INVALID_TOKEN)


def _bearer(headers: Mapping[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
