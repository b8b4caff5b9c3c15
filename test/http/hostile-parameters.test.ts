import test from 'ava';
import { json, storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

interface Parameter {
	readonly in: string;
	readonly name: string;
}

/** The values of the parameters that are not hostile, so that a call is not refused before the hostile one is read. */
const OTHERS: Readonly<Record<string, string>> = { destinationType: 'HostName', filter: 'SIMPLECSV', profileName: 'x' };
/** Texts that are refused: PostgreSQL stores no NUL, and half a surrogate is no character. */
const HOSTILE = ['%00', 'a%00b', '%ED%A0%80'];

for (const dialect of databases) {
	test(`spec §7.4: no text in a path or query is a failure of ours (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const demo = await parts.createCaller('demo', { cvvRetention: true });
		const cardToken = await storeCard(demo, '', { CVV: '306' });
		const known: Readonly<Record<string, string>> = { ...OTHERS, cardToken, cardUri: cardToken };
		const { paths } = (await parts.app.inject('/openapi.json')).json();
		let calls = 0;
		for (const [path, operations] of Object.entries<Record<string, { parameters?: Parameter[] }>>(paths)) {
			for (const [method, { parameters = [] }] of Object.entries(operations)) {
				for (const hostile of parameters) {
					if (hostile.in === 'header' || /^(session|access|card)Token$/.test(hostile.name)) continue;
					for (const text of HOSTILE) {
						const given = (name: string) => (name === hostile.name ? text : (known[name] ?? 'x'));
						const query = parameters
							.filter((each) => each.in === 'query' && (each === hostile || known[each.name]))
							.map(({ name }) => `${name}=${given(name)}`);
						const url = `${path.replace(/\{([^}]+)\}/g, (_, name: string) => given(name))}?${query.join('&')}`;
						const body = method === 'get' || method === 'delete' ? {} : json({ Quota: 1 });
						const { statusCode } = await demo.inject(method.toUpperCase() as 'GET', url, body);
						t.true(statusCode < 500, `${method} ${url}: ${statusCode}`);
						calls++;
					}
				}
			}
		}
		t.true(calls > 150, `${calls} calls`);
	});
}

test('spec §7.4: a parameter that stands twice is a 400 that names it, in whatever case', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const { paths } = (await parts.app.inject('/openapi.json')).json();
	let calls = 0;
	for (const [path, operations] of Object.entries<Record<string, { parameters?: Parameter[] }>>(paths)) {
		for (const [method, { parameters = [] }] of Object.entries(operations)) {
			const named = parameters.filter((each) => each.in === 'query' && !/^(session|access)Token$/.test(each.name));
			for (const { name } of named) {
				const url = `${path.replace(/\{[^}]+\}/g, 'a'.repeat(32))}?${name}=1&${name.toUpperCase()}=2`;
				const headers = { accept: 'application/json' };
				const response = await demo.inject(method.toUpperCase() as 'GET', url, { headers });
				t.is(response.statusCode, 400, `${method} ${url}`);
				t.like(response.json(), { message: 'Bad input data', moreInfo: `${name}: expected only once` });
				calls++;
			}
		}
	}
	t.true(calls > 50, `${calls} calls`);
});
