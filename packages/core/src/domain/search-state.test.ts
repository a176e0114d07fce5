import { readSearch, searchOfPart, searchText } from './search-state.ts';

describe('the state of a search as text', () => {
  test.each([
    searchOfPart(3),
    {
      cause: 'error' as const,
      hasAccepted: false,
      requestsLeft: 253,
      parts: [
        { events: 1, isRefused: true },
        { events: 1, isRefused: false },
        { events: 200, isRefused: false },
      ],
      at: 1,
    },
  ])('%j is read as it was written', (search) => {
    expect(readSearch(searchText(search))).toEqual(search);
  });

  test.each(['', 'cut 2000', 'whole', 'refusal 1'])('%j is not the state of a search', (text) => {
    expect(readSearch(text)).toBeUndefined();
  });
});
