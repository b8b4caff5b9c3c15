// What laws.test.ts and laws.slow.test.ts share.

import fc from 'fast-check';
import type { CardSelector, ProfileBody } from '../../../src/work/relay/profiles/profile.ts';
import { anyCharacter } from '../../helpers/any-character.ts';

export const card = fc.record({
	number: fc.constantFrom('4111111111111111', '5555555555554444', '0'),
	expiryMonth: fc.constantFrom('04', '12'),
	expiryYear: fc.constantFrom('2030', '2099'),
	nameOnCard: fc
		.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(']]>', '"\'<&>', '\r\n', '%41+&=', '\\u0041', '&amp;'))
		.map((name) => `N${name}N`.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/gu, '')),
	securityCode: fc.constantFrom('012', '3456'),
	type: fc.constantFrom('Visa', 'AMEX', 'JCB'),
});

const parts = (prefix: string, join: string): CardSelector => ({
	number: { path: `${prefix}n` },
	expiryMonth: { path: `${prefix}e`, substring: [0, 2] },
	expiryYear: { path: `${prefix}e`, format: 'YY', substring: [2, 2] },
	nameOnCard: { path: `${prefix}h` },
	securityCode: { path: `${prefix}${join}c` },
	type: { path: `${prefix}t`, map: { Visa: 'VI', AMEX: 'AX' } },
});

export const bodies: [ProfileBody, string, CardSelector, (values: string[]) => string][] = [
	[
		'xml',
		'elements',
		parts('', '@'),
		(v) => `<o><k c="${v[0]}"><t/> <n>${v[1]}</n><e/><h>${v[2]}</h></k> <!-- < --></o>`,
	],
	[
		'xml',
		'CDATA',
		parts('', '@'),
		(v) => `<o><k c='${v[0]}'><t/><n/><e>0000</e><h><![CDATA[${v[1]}]]></h></k>${v[2]}</o>`,
	],
	['json', 'strings', parts('$.', ''), (v) => `{"k":{"n":"${v[0]}","e":"","h":"${v[1]}","c":"${v[2]}","t":null}}`],
	['json', 'numbers', parts('$.', ''), (v) => `{"k":{"n":1,"e":null,"h":7,"c":-1e5,"t":"${v[0]}"},"x":[${v.length}]}`],
	['form', 'fields', parts('', ''), (v) => `n=${v[0]}&e=&h=${v[1]}&c&t=${v[2]}&x=%`],
];
export const containers: Partial<Record<ProfileBody, string>> = { xml: '//k', json: '$.k' };
export const filler = fc.stringMatching(/^[A-Za-z0-9 é]{0,12}$/);
