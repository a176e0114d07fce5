/** What the scripts of a page say. The page gives them the texts as attributes. */
export const script = {
  unreachable: 'Mailhook could not be reached. Try again in a moment.',
  unreachableTyped: 'Mailhook could not be reached. Nothing that you typed is lost: try again in a moment.',
  failed: 'Mailhook could not do this at the moment. Nothing that you typed is lost: try again.',
  ended:
    'Your session has ended. Sign in again in another window, then come back: nothing that you typed here is lost.',
  endedPortal: 'Your session has ended. Copy what you typed here, then open these settings again from where you came.',
  leave: 'You have unsaved changes. Leave this page without them?',
  live: 'Live',
  paused: 'Paused: Mailhook does not answer',
  copied: 'Copied',
  pressToCopy: 'Press Ctrl+C',
};
