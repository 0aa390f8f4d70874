"""A bare SOAP client of one vCenter's App, for what no SDK would send."""

from lxml import etree

from gavel_lab.environment import VCenter
from gavel_lab.lab import Lab
from gavel_lab.serve import Request, Response
from gavel_lab.vcenter.server import create

ENVELOPE = (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>{}</soapenv:Body></soapenv:Envelope>'
)
LOGIN = (
    '<Login xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this>'
    "<userName>{}</userName><password>{}</password></Login>"
)
CURRENT_TIME = '<CurrentTime xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></CurrentTime>'
VIM = "{urn:vim25}"


class Wire:
    """Sends calls in the one session it opens."""

    def __init__(self, lab: Lab, vcenter: VCenter) -> None:
        self.lab = lab
        self.vcenter = vcenter
        self.app = create(lab, vcenter)
        self.headers: dict[str, str] = {}

    @property
    def a_host(self) -> str:
        """Id of one of the vCenter's hosts."""
        return next(host.moref for host in self.lab.environment.hosts if host.vcenter == self.vcenter.index)

    def login(self) -> "Wire":
        response = self.send(LOGIN.format(self.vcenter.username, self.vcenter.password))
        assert response.status == 200, response.body
        self.headers["cookie"] = response.headers["Set-Cookie"].split(";", 1)[0]
        return self

    def send(self, call: str, version: str = "") -> Response:
        return self.raw(ENVELOPE.format(call).encode(), version)

    def raw(self, body: bytes, version: str = "") -> Response:
        headers = {**self.headers, **({"soapaction": f'"urn:vim25/{version}"'} if version else {})}
        return self.app(Request("POST", "/sdk", "", headers, body))

    def answer(self, call: str, version: str = "") -> etree._Element:
        """The response element of a call that must succeed."""
        response = self.send(call, version)
        assert response.status == 200, response.body[:2000]
        return etree.fromstring(response.body)[0][0]

    def fault(self, call: str) -> tuple[str, str]:
        """(type of the fault, its text) of a call that must fail."""
        return fault_of(self.send(call))


def fault_of(response: Response) -> tuple[str, str]:
    assert response.status == 500, response.body[:2000]
    fault = etree.fromstring(response.body)[0][0]
    detail = fault.find("detail")
    assert detail is not None
    kind = detail[0].get("{http://www.w3.org/2001/XMLSchema-instance}type", "")
    return kind.rsplit(":", 1)[-1], fault.findtext("faultstring") or ""
