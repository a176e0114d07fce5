"""The calls of the API with a client of openapi-python-client:

openapi-python-client generate --path ../../docs/openapi.json --meta none --output-path mailhook_client
"""

import json
import os

from mailhook_client import AuthenticatedClient
from mailhook_client.api.campaign_webhook import set_campaign_webhook, test_campaign_webhook
from mailhook_client.api.subscriptions import (
    create_subscription,
    delete_subscription,
    edit_subscription,
    list_subscriptions,
    read_subscription,
    send_test_notification,
)
from mailhook_client.models import (
    CampaignTest,
    CampaignWebhookChange,
    Problem,
    SubscriptionChange,
    SubscriptionRequest,
    SubscriptionRequestType,
    TestFailure,
)

MODULE = "transactional_email"
ADDRESS = os.environ.get("ADDRESS", "http://127.0.0.1:4000/hook")
client = AuthenticatedClient(
    base_url=os.environ.get("MAILHOOK_URL", "http://127.0.0.1:3000"),
    token=os.environ["ACCESS_TOKEN"],
    raise_on_unexpected_status=True,
)


def shown(result):
    """Prints what a call returned. Raises the reason of a failure."""
    if isinstance(result, Problem):
        raise RuntimeError(result.detail)
    print(json.dumps([one.to_dict() for one in result] if isinstance(result, list) else result.to_dict()))
    return result


wanted = SubscriptionRequest(address=ADDRESS, type_=SubscriptionRequestType.CLICK, module=MODULE)

id = shown(create_subscription.sync(client=client, body=wanted)).id
shown(list_subscriptions.sync(client=client))
shown(edit_subscription.sync(id, client=client, body=SubscriptionChange(module=MODULE, active=False)))
shown(read_subscription.sync(id, client=client))
shown(send_test_notification.sync(client=client, body=wanted))
shown(delete_subscription.sync(id, client=client))

# The campaign webhook: set it, test the saved address, test another one.
shown(set_campaign_webhook.sync(client=client, body=CampaignWebhookChange(address=ADDRESS, active=True)))
shown(test_campaign_webhook.sync(client=client, body=CampaignTest()))
result = shown(test_campaign_webhook.sync(client=client, body=CampaignTest(address="http://127.0.0.1:9/")))
print(json.dumps(isinstance(result, TestFailure)))
