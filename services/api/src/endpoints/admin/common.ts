/** What the answers of several families have in common. */

export { count, time } from '@mailhook/core';

export const accountExample = { id: 'acc_V1nq8Lr3Kc7Yd0Ze', name: 'Acme' };
