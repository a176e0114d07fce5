import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** The sign-in page and the page of a portal link. */
export const access = {
  signIn: 'Sign in',
  webhookSettings: 'Webhook settings',
  lead: ({ platform }: { platform: string }) =>
    `Here you choose where ${platform} sends opens, clicks, bounces and other events of your emails, and see every ` +
    'delivery.',
  showToken: 'Show the token',
  accessToken: 'Access token',
  tokenHint: ({ platform }: { platform: string }) =>
    `The token of your account’s API. It begins with mhk_. Ask your ${platform} administrator for a token.`,
  signedOut: 'You are signed out. Go back and open these settings again from there.',
  ended:
    'Your session has ended. It was not used for an hour or expired, or its access was revoked. Sign in again, or ' +
    'open these settings again from where you came.',
  pageAway: 'This page does not work at the moment.',
  signInAway: 'Signing in does not work at the moment. Try again in a minute.',
  producerToken: 'is a producer token, which only sends events. Sign in with an access token, which begins with mhk_.',
  unknownToken: 'is not known. Check that it was copied whole and was not revoked, or ask for a new one.',

  openSettings: 'Open webhook settings',
  opens: ({ account }: { account: Content }) =>
    html`This link opens the webhook settings of ${account}. Continue only if you have just asked for them.`,
  continue: 'Continue',
  whoIsIt: 'Confirm that it is you',
  whoIsItText:
    'You signed in more than 15 minutes ago. What you want to do lasts longer than this session, so it needs the ' +
    'access token once more.',
  notThisToken: 'is of another account, or is for reading only',
  checkAway: 'cannot be checked at the moment: try again in a minute',
  openAgain:
    'You opened these settings more than 15 minutes ago. Open the page again from your platform, and then repeat this.',
  openingAway: 'Mailhook cannot open the settings at the moment. Try again in a minute.',
  incompleteLink: 'This link is not complete. Copy the whole link, or open it again from where it came.',
  usedLink:
    'This link no longer works. A link can be used once, and only for a limited time. Sign in, or open them again ' +
    'from where the link came.',
  linkNeedsScript:
    'This link needs a script, which this browser does not run. Write ? instead of # in its address, and open it ' +
    'again.',
  otherAccount:
    'You are signed in to another account in this browser. This link will sign you out of it. Continue only if you ' +
    'have just asked for the settings of another account.',
  changeAccount: 'Change to the other account',
  stay: 'Stay',
};
