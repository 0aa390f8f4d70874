"""The delivery log blacks out secrets, whatever shape their setting has."""

from pydantic import BaseModel, SecretStr

from gavel.alerting.contract import ChannelSettings, logged
from gavel.alerting.transport.wire import Request


class Login(BaseModel):
    password: SecretStr


class EveryShape(ChannelSettings):
    plain: SecretStr
    optional: SecretStr | None = None
    several: list[SecretStr]
    named: dict[str, SecretStr]
    login: Login


def test_the_delivery_log_has_no_secret_in_it_whatever_shape_its_setting_has() -> None:
    secrets = [f"canary-{number}" for number in range(5)]
    settings = EveryShape.model_validate(
        {
            "plain": secrets[0],
            "optional": secrets[1],
            "several": [secrets[2]],
            "named": {"a": secrets[3]},
            "login": {"password": secrets[4]},
        }
    )
    request = Request("https://example.org/hook", " ".join(secrets).encode(), {})
    assert logged(settings, request) == "POST https://example.org\n••• ••• ••• ••• •••"
