"""Which label means what."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from gavel.api.inputs import Text
from gavel.api.schemas.common import Out
from gavel.domain.labels import LONGEST_NAME


class LabelMeaningsOut(Out):
    """The names of the labels that mean an owner and an application, without regard to case."""

    owner: str
    application: str


class LabelMeaningsIn(BaseModel):
    """As in `LabelMeaningsOut`; null: as it is."""

    model_config = ConfigDict(extra="forbid")

    owner: Annotated[Text, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
    application: Annotated[Text, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
