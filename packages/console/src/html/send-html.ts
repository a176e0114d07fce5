import type { Response } from 'express';
import type { Reader } from './reader.ts';

/** Sends a page that was written for this reader. */
export const sendHtml = (response: Response, { language }: Reader, status: number, document: string): void =>
  void response
    .status(status)
    .vary('Cookie, Accept-Language')
    .set({ 'content-type': 'text/html; charset=utf-8', 'content-language': language })
    .end(document);
