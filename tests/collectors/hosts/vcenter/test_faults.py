"""Faults in words: no XML and no names of types where people read."""

import pytest
from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.faults import in_words, of_esxcli

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def localized(kind: str, inner: str = "", message: str = "") -> str:
    return (
        f'<LocalizedMethodFault xmlns="urn:vim25" {XSI}><fault xsi:type="{kind}">{inner}</fault>'
        f"<localizedMessage>{message}</localizedMessage></LocalizedMethodFault>"
    )


@pytest.mark.parametrize(
    ("message", "detail", "kind", "words"),
    [
        (
            "The object or item referred to could not be found.",
            localized("NotFound", message="The object or item referred to could not be found."),
            "NotFound",
            "The object or item referred to could not be found",
        ),
        (
            "EsxCLI.CLIFault.summary",
            localized(
                "VimEsxCLICLIFault",
                "<errMsg>Unknown device: naa.1</errMsg><errMsg>\n Try -d </errMsg>",
                "EsxCLI.CLIFault.summary",
            ),
            "VimEsxCLICLIFault",
            "Unknown device: naa.1; Try -d",
        ),
        ("", localized("HostNotConnected"), "HostNotConnected", "Host not connected"),
        (
            "EsxCLI.CLIFault.summary",
            f'<obj xmlns="urn:vim25" {XSI} xsi:type="VimEsxCLICLIFault"><errMsg>Invalid Module name</errMsg></obj>',
            "VimEsxCLICLIFault",
            "Invalid Module name",
        ),
        (
            "Permission to perform this operation was denied.",
            localized("NoPermission", "<privilegeId>Host.Config.Settings</privilegeId>"),
            "NoPermission",
            "the privilege Host.Config.Settings is missing",
        ),
        ("busy", "", "", "busy"),
        ("EsxCLI.CLIFault.summary", "connection lost", "", "connection lost"),
        ("EsxCLI.CLIFault.summary", "<broken", "", "no reason is given"),
        ("", "", "", "no reason is given"),
        ("busy", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "", "busy"),
    ],
)
def test_a_fault_inside_an_answer_is_said_in_words(message: str, detail: str, kind: str, words: str) -> None:
    assert of_esxcli(message, detail) == (kind, words)


def test_a_fault_of_vsphere_is_said_in_words() -> None:
    assert in_words(vim.fault.NoPermission()) == "No permission"
    missing = vim.fault.NotFound()
    missing.msg = "The object could not be found.\n"
    assert in_words(missing) == "Not found: The object could not be found"
    inner = vmodl.LocalizedMethodFault(fault=vmodl.fault.HostNotConnected(), localizedMessage="It is away.")
    assert in_words(inner) == "Host not connected: It is away"
