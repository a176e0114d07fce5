"""The calls of the API with a client of OpenAPI Generator, which needs Java:

openapi-generator-cli generate -i ../../docs/openapi.json -g python -o mailhook-client
"""

import json
import os

from openapi_client import (
    ApiClient,
    CampaignTest,
    CampaignWebhookApi,
    CampaignWebhookChange,
    Configuration,
    SubscriptionChange,
    SubscriptionRequest,
    SubscriptionsApi,
    TestFailure,
)

MODULE = "transactional_email"
ADDRESS = os.environ.get("ADDRESS", "http://127.0.0.1:4000/hook")
configuration = Configuration(
    host=os.environ.get("MAILHOOK_URL", "http://127.0.0.1:3000"),
    access_token=os.environ["ACCESS_TOKEN"],
)


def shown(result):
    """Prints what a call returned. The client raises the reason of a failure."""
    print(json.dumps([one.to_dict() for one in result] if isinstance(result, list) else result.to_dict()))
    return result


with ApiClient(configuration) as client:
    subscriptions = SubscriptionsApi(client)
    wanted = SubscriptionRequest(address=ADDRESS, type="click", module=MODULE)

    id = shown(subscriptions.create_subscription(wanted)).id
    shown(subscriptions.list_subscriptions())
    shown(subscriptions.edit_subscription(id, SubscriptionChange(module=MODULE, active=False)))
    shown(subscriptions.read_subscription(id))
    shown(subscriptions.send_test_notification(wanted))
    shown(subscriptions.delete_subscription(id))

    # The campaign webhook: set it, test the saved address, test another one.
    campaign = CampaignWebhookApi(client)
    shown(campaign.set_campaign_webhook(CampaignWebhookChange(address=ADDRESS, active=True)))
    shown(campaign.test_campaign_webhook(campaign_test=CampaignTest()))
    result = shown(campaign.test_campaign_webhook(campaign_test=CampaignTest(address="http://127.0.0.1:9/")))
    print(json.dumps(isinstance(result.actual_instance, TestFailure)))
