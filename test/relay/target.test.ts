import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import type { Profile } from '../../src/work/relay/profiles/profile.ts';
import { parseReadyProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { getTarget, type TargetQuestion } from '../../src/work/relay/target.ts';
import { JSON_PROFILE } from '../helpers/third-party.ts';

const VISA = '4111111111111111';
const CARD = { number: VISA, expiryMonth: '04', expiryYear: '2030', nameOnCard: 'É/?#&', securityCode: '306' };

function profileOf(more = '', environment: TargetQuestion['environment'] = 'sandbox'): Profile {
	return parseReadyProfile(`${JSON_PROFILE}${more}\n`, { environment });
}

const goes = test.macro({
	exec(t, more: string, targetUri: string | undefined, expected: string, question: Partial<TargetQuestion> = {}) {
		const profile = profileOf(more);
		t.is(getTarget({ profile, targetUri, environment: 'sandbox', ...question }).href, expected);
	},
	title: (name) => `goes: ${name}`,
});

const stays = test.macro({
	exec(t, more: string, targetUri: string | undefined, said: string, question: Partial<TargetQuestion> = {}) {
		const profile = profileOf(more);
		const error = t.throws(() => getTarget({ profile, targetUri, environment: 'sandbox', ...question }), {
			instanceOf: ServiceError,
		});
		t.is(error.reason, 'bad-input-data');
		t.is(error.moreInfo, `targetUri: ${said}`);
	},
	title: (name) => `refused: ${name}`,
});

const ABSOLUTE = 'expected an absolute http or https address';
const HOST = 'the profile does not allow this host';
const CARD_IN_IT = 'looks as if it contained a card number, which the profile does not allow';
const OWN = 'targetUri: https://api.example/v1';
const PRODUCTION = { environment: 'production' } as const;

test('spec §4.1: the caller’s', goes, '', 'https://a.example/x?y=1', 'https://a.example/x?y=1');
test('shapes §4: the profile’s where the caller names none', goes, OWN, undefined, 'https://api.example/v1');
test('shapes §4: an empty one is none', goes, OWN, '', 'https://api.example/v1');
test('shapes §4: the host of the profile’s', goes, OWN, 'https://API.example/v2', 'https://api.example/v2');
test('shapes §4: a listed host', goes, 'hosts: ["*.c.example"]', 'https://a.b.c.example/', 'https://a.b.c.example/');
test('shapes §11: in production too', goes, OWN, 'https://api.example/', 'https://api.example/', PRODUCTION);
test('shapes §4: a preset over https', goes, '', 'https://any.example/', 'https://any.example/', {
	...PRODUCTION,
	isOpen: true,
});

test('spec §7.4: a path', stays, '', '/book', ABSOLUTE);
test('spec §7.4: a host alone', stays, '', 'api.example', ABSOLUTE);
test('spec §7.4: without scheme', stays, '', '//api.example/', ABSOLUTE);
test('spec §7.4: another scheme', stays, '', 'file:///etc/passwd', ABSOLUTE);
test('spec §7.4: blanks before it', stays, '', ' https://api.example/', ABSOLUTE);
test('spec §7.4: no host', stays, '', 'https://', ABSOLUTE);
test('spec §7.4: a port that is none', stays, '', 'https://a.example:99999/', ABSOLUTE);
test('shapes §4: a user name', stays, '', 'https://user@a.example/', 'may not hold a user name or password');
test('shapes §4: a host that looks allowed', stays, OWN, 'https://api.example.evil.example/', HOST);
test(
	'shapes §4: an allowed host as user name',
	stays,
	OWN,
	'https://api.example@evil.example/',
	'may not hold a user name or password',
);
test('shapes §4: another port of the host', stays, OWN, 'https://api.example:8443/', HOST);
test('shapes §4: what a wildcard does not cover', stays, 'hosts: ["*.b.example"]', 'https://b.example/', HOST);
test('shapes §11: any host in production', stays, '', 'https://a.example/', HOST, PRODUCTION);
test('shapes §11: in clear in production', stays, OWN, 'http://api.example/', 'expected https', PRODUCTION);
test('shapes §11: a preset in clear in production', stays, '', 'http://a.example/', 'expected https', {
	...PRODUCTION,
	isOpen: true,
});

const spellings = [
	VISA,
	'4111-1111-1111-1111',
	'4111%201111%201111%201111',
	'4111+1111+1111+1111',
	'%34111111111111111',
];
for (const text of spellings) {
	for (const address of [`https://a.example/${text}`, `https://a.example/?n=${text}&x=%E9%`]) {
		test(`spec §4.1: a card in ${address}`, stays, '', address, CARD_IN_IT);
	}
}
test(
	'spec §4.1: order numbers and times',
	goes,
	'',
	'https://a.example/2026112112000000?t=1795262400000',
	'https://a.example/2026112112000000?t=1795262400000',
);

test('spec §7.4: port 0', stays, '', 'https://a.example:0/', 'expected a port from 1 to 65535');

const IN_URI = 'cardInUri: true';
const cards = { cards: [CARD] };
test(
	'shapes §4: cards where the profile allows',
	goes,
	IN_URI,
	'https://a.example/{{cardNumber}}?c={{cvv}}&y={{expirationYear2}}',
	`https://a.example/${VISA}?c=306&y=30`,
	cards,
);
test(
	'shapes §4: values that mean something in an address are escaped',
	goes,
	IN_URI,
	'https://a.example/{{nameOnCard}}',
	'https://a.example/%C3%89%2F%3F%23%26',
	cards,
);
test(
	'shapes §4: nothing is filled where it does not',
	goes,
	'',
	'https://a.example/{{cardNumber}}',
	'https://a.example/%7B%7BcardNumber%7D%7D',
	cards,
);
const ELSEWHERE = 'placeholders are only allowed in the path and the query';
for (const address of [
	'https://{{cardNumber}}.evil.example/',
	'https://a.example{{cardNumber}}/',
	'{{cardNumber}}',
	'https://a.example:{{expirationYear}}/',
]) {
	test(`shapes §4: a card in the host: ${address}`, stays, IN_URI, address, ELSEWHERE, cards);
}

test('shapes §4: an error never has the address', (t) => {
	for (const targetUri of [`https://a.example/${VISA}`, `ftp://${VISA}`, `https://${VISA}@a.example/`]) {
		const error = t.throws(() => getTarget({ profile: profileOf(OWN), targetUri, environment: 'sandbox' }));
		t.false(error.message.includes(VISA));
	}
});
