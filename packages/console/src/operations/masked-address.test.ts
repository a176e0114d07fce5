import { maskedAddress } from './destination-table.ts';

test.each([
  ['https://hooks.example.com', 'https://hooks.example.com/'],
  ['https://hooks.example.com/services', 'https://hooks.example.com/services'],
  ['https://hooks.example.com/services/T0/B0/secret', 'https://hooks.example.com/services/…'],
  ['https://hooks.example.com/in?token=secret', 'https://hooks.example.com/in/…'],
  ['', ''],
])('operators see of %j only %j', (address, shown) => expect(maskedAddress(address)).toBe(shown));
