/** Whether a receiver's address is https. */
export const hasHttps = (address: string): boolean => /^https:/i.test(address);
