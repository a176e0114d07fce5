/** Why the API refuses something that the settings page offers too, in English. */
export const PROBLEM_TEXTS = {
  'unknown-destination':
    'Your account has no destination with this id. Use an id of the list of destinations, or “campaign”.',
  'unknown-subscription': 'This account has no subscription with this id.',
  'unknown-secret': 'This account has no signing secret with this id.',
  'unknown-own-secret': 'This destination has no signing secret with this id.',
  'unknown-token': 'This account has no access token with this id.',
  'many-tokens': 'This account has {max} access tokens already. Revoke one that is not used.',
  'event-log-off': 'This installation keeps no log of accepted events.',
  'unknown-entry': 'The log has no such event: it is too old, was erased, or is of another account.',
  'unknown-replay': 'This destination has no such replay, or it ended over 7 days ago.',
  'replay-inactive': 'This destination is off, so nothing can be sent to it. Switch it on first.',
  'replay-deleted': 'This destination was deleted, or its address was removed, so nothing can be sent to it.',
  'unknown-attempt': 'There is no such attempt: it is over 7 days old, or newer ones took its place in the log.',
  'unknown-dead-letter': 'There is no such dead letter: it was delivered again, or was given up over 7 days ago.',
  'unknown-button': 'This page has no such button.',
  'known-address': 'This account has this e-mail address already.',
  'known-alert-webhook': 'This account has a webhook for alerts with this address already.',
  'many-alert-webhooks': 'This account has {max} webhooks for alerts already, the most there may be. Delete one first.',
  'many-addresses': 'This account has {max} e-mail addresses already, the most there may be. Delete one first.',
  'many-secrets': 'This account has {max} signing secrets already. Delete one first.',
  'many-destinations':
    'The account has {max} destinations of type {type} already, the most there may be: change or delete one.',
  'many-own-secrets': 'This destination has {max} signing secrets already. Delete one first.',
  'many-deleted':
    'This account has deleted {count} destinations within a week. Change one instead of creating a new one.',
  'check-running': 'A check of this account is still running. Wait until it ends.',
  'many-pages':
    'More than {max} pages and large reads of this account wait for each other. Send fewer at the same time.',
  'many-token-requests':
    'This access token made more than {max} requests per second for too long. Searches count as more than one request. Wait for the seconds in Retry-After, and send fewer requests.',
  'many-account-requests':
    'This account made more than {max} requests per second for too long. Searches count as more than one request. Wait for the seconds in Retry-After, and send fewer requests.',
  'many-sign-ins': 'Too many failed sign-ins from this address. Check the access token and try again in a minute.',
  'other-site': 'This request came from another site. Open the page itself and try there.',
  'many-checks': 'Too many receiver checks in a minute. Fix what the last report named, then try again.',
  'many-tests': 'This account has run {count} tests within a minute. Wait a minute, then test again.',
} as const;
