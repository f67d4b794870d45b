"""What a caller writes over the client that openapi-python-client makes."""

import json
import os
import time

from tidings_client import AuthenticatedClient
from tidings_client.api.ingest import submit_messages
from tidings_client.api.push import send
from tidings_client.models import (
    ActionMessage,
    IngestAccepted,
    IngestEnvelope,
    Problem,
    PushAccepted,
    PushSms,
    SmsMessage,
)

client = AuthenticatedClient(
    base_url=os.environ["TIDINGS_URL"],
    token=os.environ["TIDINGS_KEY"],
    prefix="",
    auth_header_name="X-API-Key",
    headers={"X-Application-Id": os.environ["TIDINGS_APPLICATION"]},
)
now = int(time.time() * 1000)
message = ActionMessage(
    id=f"openapi-python-client-{now}", time=now, type_="action", custom_name="viewed"
)
submitted = submit_messages.sync(
    client=client, body=IngestEnvelope(custom_user_id="ada", messages=[message])
)
push = PushSms(channel="SMS", recipients=["ada"], message=SmsMessage(body="Hello"))
pushed = send.sync(client=client, body=push)
refused = send.sync(
    client=client, body=PushSms(channel="SMS", recipients=[], message=SmsMessage(body="Hello"))
)
assert isinstance(submitted, IngestAccepted), submitted
assert isinstance(pushed, PushAccepted), pushed
assert isinstance(refused, Problem), refused
print(
    json.dumps(
        {
            "submitted": submitted.to_dict(),
            "pushed": pushed.to_dict(),
            "refused": refused.code.value,
        }
    )
)
