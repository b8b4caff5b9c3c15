// What profile.test.ts and profile.slow.test.ts share.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';

export const NUMBER = '4111111111111111';
export const CVV = '306';
export const PROFILE = `
name: Partner
direction: tokenize
body: xml
targetUri: https://api.example.com/pull
authorization: Basic c2VjcmV0LXNlY3JldA==
cards:
  - container: //Card
    number: Number
    expiryMonth: { path: Expiry, substring: [0, 2] }
    expiryYear: { path: Expiry, substring: [3, 2] }
    nameOnCard: Holder
    securityCode: Cvv
`;
export const BODY = `<Booking>
  <Card><Number>4111 1111 1111 1111</Number><Expiry>04/39</Expiry><Cvv>${CVV}</Cvv></Card>
  <Card><Number>4111111111111112</Number><Expiry>04/39</Expiry><Holder>A HOLDER</Holder></Card>
  <Card><Number>0f0e0d0c0b0a09080706050403020100</Number></Card>
</Booking>
`;

export function fileIn(run: CommandRunner, name: string, text: string): string {
	const path = join(run.dataDir, name);
	writeFileSync(path, text);
	return path;
}

export async function openAgency(t: ExecutionContext) {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	return { run, file: fileIn(run, 'partner.yaml', PROFILE), body: fileIn(run, 'body.xml', BODY) };
}
