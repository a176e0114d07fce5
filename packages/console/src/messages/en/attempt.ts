import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** One attempt, opened: its request, its reply and its events. */
export const attempt = {
  title: ({ attempt }: { attempt: number }) => `Attempt ${attempt}`,
  titleOfNone: 'Attempt',
  unknown: 'There is no such attempt: it is over 7 days old, or newer ones took its place in the log.',
  close: 'Close',
  sentAgain: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: 'Mailhook sends the event again now. The new attempt appears in the list.',
      other: `Mailhook sends the ${number} events again now. The new attempts appear in the list.`,
    })),
  notInLog: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} other event of the request was not found in the log.`,
      other: `${number} other events of the request were not found in the log.`,
    })),
  redirects: ({ target }: { target: Content }) => html`It redirects to ${target}.`,
  changeAddress: 'Change the address',
  story: 'Attempts at this batch',
  all: ({ attempts }: { attempts: Content }) => html`All attempts (${attempts})`,
  noReply: 'No reply',

  notHeld: 'Mailhook does not hold its events any more: they were delivered since, or given up and deleted.',
  heldUnknown:
    'Mailhook did not find its events among those that it searched. There are too many resends or dead letters to ' +
    'search them all, so it may still hold them.',
  waiting: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event is waiting for the next attempt`,
      other: `${number} events are waiting for the next attempt`,
    })),
  deadLetters: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event is among the dead letters`,
      other: `${number} events are among the dead letters`,
    })),
  firstOnes: ({ shown }: { shown: Content }) => html`These are the first ${shown}. The API has all of them.`,
  unconfirmed: ({ unconfirmed, events }: { unconfirmed: number; events: Content }) =>
    plural(unconfirmed, (number) => ({
      one: html`${number} event of ${events} not confirmed`,
      other: html`${number} events of ${events} not confirmed`,
    })),

  request: 'Request',
  nothingSent: 'Nothing was sent, because no connection was made.',
  nothingKept: 'Mailhook kept nothing of this request, because of an internal error.',
  copyBody: ({ hidden }: { hidden: Around }) => html`Copy${hidden(' the body')}`,
  copyAsCurl: 'Copy as curl (sh, bash, zsh)',
  cut: ({ link, bytes }: { link: Around; bytes: Content }) =>
    html`Cut here. ${link('The whole body')} has ${bytes} bytes.`,
  asCurl: 'As a curl command',
  curlExpires: 'A server that checks the time of a signature refuses this command five minutes after the attempt.',
  curlLeavesOut: 'The headers whose values are not shown are left out.',
  curlNeedsFile: 'Save the whole body as body.json first.',
  bodyNotKept:
    'Mailhook did not keep this body, so most values are left out. Your provider can let Mailhook keep the bodies of ' +
    'delivered requests for up to 24 hours.',
  bodyNotHeld: 'Mailhook does not hold all of its events any more, so most values are left out.',
  noBodiesOfTests: 'Mailhook keeps no bodies of tests. They have sample events only.',
  someOf: ({ shown, events }: { shown: Content; events: Content }) => html`These are ${shown} of its ${events} events.`,
  size: ({ events, bytes }: { events: number; bytes: Content }) =>
    plural(events, (number) => ({
      one: html`${number} event in ${bytes} bytes.`,
      other: html`${number} events in ${bytes} bytes.`,
    })),
  repeated:
    'It was sent twice: your endpoint closed a kept connection before it answered, so Mailhook sent the same request ' +
    'again on a new connection.',
  notSigned: 'It was not signed, because neither the endpoint nor the account had a signing secret.',
  signed: ({ secrets }: { secrets: number }) =>
    plural(secrets, (number) => ({
      one: `Signed with ${number} secret, in webhook-signature.`,
      other: `Signed with ${number} secrets, in webhook-signature.`,
    })),
  signedAgain: 'Mailhook keeps no signatures, so it made this one again with the signing secrets in force.',
  signatureNeedsBody: 'It is not shown, because making it again takes the whole body.',
  secretsChanged: 'It is not shown, because the signing secrets have changed since.',

  reply: 'Reply',
  noneCame: 'None came.',
  allConfirmed:
    'All events were confirmed. Mailhook keeps the start of the reply of attempts that failed, and of tests.',
  keepsNoMore: 'This installation keeps no more of replies.',
  keepsReplies:
    'Mailhook keeps the start of the reply of attempts that failed, and of tests, as long as they are listed here.',
  bodyEmpty: 'The body was empty.',
  bodyWhole: 'This is the whole body.',
  bodyStart: 'This is the start of the body.',
  statusDecides: 'The status decides, and no body came with it.',
  noBody: 'No body came together with the status.',
  bodyCompressed: 'The body was compressed, and Mailhook does not keep compressed ones.',
  noConnection: 'No connection was made, so nothing was sent.',
  noneShown: 'There is no reply to show.',
};
