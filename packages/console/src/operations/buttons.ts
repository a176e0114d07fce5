import type { OperatorServices } from '@mailhook/core';
import {
  DEAD_LETTERS_KEPT_MS,
  accountInput,
  discardInput,
  dropInput,
  operatorPauseInput,
  portalInput,
  producerTokenInput,
  tokenInput,
} from '@mailhook/core';
import { invalid, parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { accountUrl, pageUrl } from './pages.ts';
import type { Once } from './view.ts';

/** Who presses a button. */
type Presser = Parameters<OperatorServices['portal']['createLink']>[2];

/** A button of the pages. */
export interface Button {
  /** Fields without which it does nothing, so that no form acts on everything. */
  readonly needs?: readonly string[];
  readonly run: (services: OperatorServices, form: FormFields, by: Presser) => unknown;
  readonly done: string;
  /** Of a change of who may sign in. */
  readonly security?: 'token_created' | 'token_revoked' | 'portal_link_created';
  /** What is shown once, in the answer itself. */
  readonly once?: (result: unknown) => Once;
  /** The page that follows. Default: the one with the button. */
  readonly then?: (result: unknown) => string;
}

const DAYS = DEAD_LETTERS_KEPT_MS / 86_400_000;

const ofDestinations: Readonly<Record<string, Button>> = {
  probe: {
    run: ({ destinations }, { destination = '' }) => destinations.probe(destination),
    done: 'One event is tried now. If the receiver takes it, the other events follow.',
  },
  showAddress: {
    run: ({ destinations }, { destination = '' }) => destinations.find(destination),
    done: 'Who saw the whole address is recorded:',
  },
  sendNow: {
    run: ({ destinations }, { destination = '' }) => destinations.sendNow(destination),
    done: 'All resends are sent as fast as the receiver takes them. While its last attempt failed, one is tried first.',
  },
  pause: {
    run: ({ destinations }, { destination = '', minutes }) =>
      destinations.pause(destination, parseOrThrow(operatorPauseInput, { minutes: Number(minutes) })),
    done: 'Paused. Nothing is sent until the pause ends or you resume the destination.',
  },
  resume: {
    run: ({ destinations }, { destination = '' }) => destinations.resume(destination),
    done: 'Resumed. Waiting events are sent, unless the destination is still parked.',
  },
  drop: {
    run: ({ destinations }, { destination = '', confirm = '' }) =>
      destinations.drop(destination, parseOrThrow(dropInput, { confirm: confirm.trim() })),
    done: `The undelivered events become dead letters, step by step. They can be redriven for ${DAYS} days.`,
  },
  redrive: {
    needs: ['account', 'destination'],
    run: ({ deadLetters }, { account, destination }) => deadLetters.redrive({ account, destination }),
    done: 'The dead letters of this destination are being delivered again. Dead letters of inactive destinations stay.',
  },
  discard: {
    needs: ['account', 'destination'],
    run: ({ discard }, { account = '', destination, confirm = '' }) => {
      checkTyped(confirm, account);
      return discard(parseOrThrow(discardInput, { account, destination }));
    },
    done: 'The dead letters of this destination are deleted, and their events with them.',
  },
};

const ofAccounts: Readonly<Record<string, Button>> = {
  createAccount: {
    run: ({ accountChanges }, { name = '' }) => accountChanges.create(parseOrThrow(accountInput, { name })),
    done: 'The account is created. Create an access token for it next.',
    then: (result) => accountUrl((result as { readonly id: string }).id, 'tokens'),
  },
  deleteAccount: {
    needs: ['account'],
    run: ({ accountChanges }, { account = '', confirm = '' }) => {
      checkTyped(confirm, account);
      return accountChanges.startDeletion(account);
    },
    done: 'The account is being deleted. Its data follows step by step.',
    then: () => pageUrl('accounts'),
  },
  openAsCustomer: {
    needs: ['account'],
    run: ({ portal }, { account = '', access }, by) =>
      portal.createLink(account, parseOrThrow(portalInput, { access }), by),
    done: '',
    security: 'portal_link_created',
    once: (result) => ({
      text:
        'The link opens once, within a minute, for an hour. ' +
        'It is recorded that you made it, and what you change there.',
      link: (result as { readonly url: string }).url,
    }),
  },
};

const ofTokens: Readonly<Record<string, Button>> = {
  createToken: {
    needs: ['account'],
    run: ({ tokens }, { account = '', access, ...form }) =>
      tokens.create(account, parseOrThrow(tokenInput, { ...typedToken(form), access })),
    done: '',
    security: 'token_created',
    once: newToken,
  },
  revokeToken: {
    needs: ['account', 'token'],
    run: ({ tokens }, { account = '', token = '' }) => tokens.remove(account, token),
    done: 'The token is revoked.',
    security: 'token_revoked',
  },
  createProducerToken: {
    run: ({ producerTokens }, { accounts: typed = '', ...form }) => {
      const ids = typed.split(/[\s,]+/).filter((id) => id !== '');
      const accounts = ids.length > 0 ? ids : undefined;
      return producerTokens.create(parseOrThrow(producerTokenInput, { ...typedToken(form), accounts }));
    },
    done: '',
    security: 'token_created',
    once: newToken,
  },
  revokeProducerToken: {
    needs: ['token'],
    run: ({ producerTokens }, { token = '' }) => producerTokens.remove(token),
    done: 'The token is revoked.',
    security: 'token_revoked',
  },
};

export const BUTTONS: ReadonlyMap<string, Button> = new Map(
  Object.entries({ ...ofDestinations, ...ofAccounts, ...ofTokens }),
);

function newToken(result: unknown): Once {
  return { text: 'The new token, shown this once. Copy it now:', secret: (result as { readonly token: string }).token };
}

/** Browsers send a time without a zone, which the page says is UTC. */
const typedToken = ({ label = '', expiresAt = '' }: FormFields): object => ({
  label,
  ...(expiresAt !== '' && { expiresAt: `${expiresAt}${expiresAt.length === 16 ? ':00' : ''}Z` }),
});

function checkTyped(confirm: string, account: string): void {
  if (confirm.trim() !== account) throw invalid([{ path: 'confirm', message: 'must be the id of the account' }]);
}
