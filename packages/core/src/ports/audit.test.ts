import { operatorName } from './audit.ts';

test('an operator is named by the person and the token', () => {
  expect(operatorName({ token: 'ops', person: 'anna@example.com' })).toBe('anna@example.com via ops');
  expect(operatorName({ token: 'ops' })).toBe('ops');
});
