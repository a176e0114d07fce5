import { maskedAddress } from './destination-table.ts';

test.each([
  ['https://hooks.example.com', 'https://hooks.example.com/'],
  ['https://hooks.example.com/secret', 'https://hooks.example.com/***'],
  ['https://hooks.example.com:8443/services/T0/B0/secret', 'https://hooks.example.com:8443/***'],
  ['https://hooks.example.com?token=secret', 'https://hooks.example.com/***'],
  ['https://user:secret@hooks.example.com/#secret', 'https://hooks.example.com/***'],
  ['hooks.example.com/secret', '***'],
  ['', ''],
])('operators see of %j only %j', (address, shown) => expect(maskedAddress(address)).toBe(shown));
