import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import { isPublicAddress, parseHost, resolveTarget } from '../../src/base/outbound/addresses.ts';
import { systemLookup } from '../../src/base/outbound/system-lookup.ts';

const judged = test.macro({
	exec(t, isPublic: boolean, ...addresses: string[]) {
		for (const address of addresses) t.is(isPublicAddress(address), isPublic, address);
	},
	title: (what = '', isPublic) => `${isPublic ? 'public' : 'not public'}: ${what}`,
});

test(
	'what anybody has',
	judged,
	true,
	'1.1.1.1',
	'93.184.215.14',
	'172.15.0.1',
	'172.32.0.1',
	'2606:4700::1111',
	'2a00:1450::1',
);
test('this network and loopback', judged, false, '0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '::', '::1');
test(
	'private',
	judged,
	false,
	'10.0.0.1',
	'172.16.0.1',
	'172.31.255.255',
	'192.168.1.1',
	'fc00::1',
	'fd12::1',
	'fec0::1',
);
test(
	'link-local and metadata',
	judged,
	false,
	'169.254.169.254',
	'fe80::1',
	'febf::1',
	'fd00:ec2::254',
	'168.63.129.16',
);
test('carrier-grade NAT', judged, false, '100.64.0.1', '100.100.100.200', '100.127.255.255');
test('multicast and broadcast', judged, false, '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1');
test('documentation', judged, false, '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1');
test(
	'benchmarks and reserved',
	judged,
	false,
	'198.18.0.1',
	'198.19.0.1',
	'240.0.0.1',
	'192.0.0.192',
	'100::1',
	'2001:2::1',
	'5f00::1',
	'4000::1',
);
test(
	'another address inside',
	judged,
	false,
	'::ffff:8.8.8.8',
	'::ffff:7f00:1',
	'::8.8.8.8',
	'2002:808:808::1',
	'64:ff9b::808:808',
	'64:ff9b:1::1',
	'2001::1',
	'::ffff:0:808:808',
);
test(
	'a zone, a range, a name, nothing',
	judged,
	false,
	'fe80::1%eth0',
	'2606:4700::1111%1',
	'1.1.1.1/32',
	'example.com',
	'',
	'1.1.1',
	'0x1.1.1.1',
);

test('an address inside another is never public, whichever it is', (t) => {
	const octet = fc.integer({ min: 0, max: 255 });
	fc.assert(
		fc.property(octet, octet, octet, octet, (a, b, c, d) => {
			const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
			for (const address of [`::ffff:${hex}`, `2002:${hex}::`, `64:ff9b::${hex}`, `::${hex}`])
				t.false(isPublicAddress(address));
		}),
		{ numRuns: 200 },
	);
});

const spelled = test.macro({
	exec(t, text: string, host: string) {
		t.is(parseHost(text), host);
	},
	title: (_, text, host) => `the host ${text} is ${host}`,
});
test(spelled, 'API.Example.com.', 'api.example.com');
test(spelled, 'bücher.example', 'xn--bcher-kva.example');
test(spelled, '0x7f.1', '127.0.0.1');
test(spelled, '017700000001', '127.0.0.1');
test(spelled, '2130706433', '127.0.0.1');
test(spelled, '[::FFFF:127.0.0.1]', '::ffff:7f00:1');
test(spelled, '::1', '::1');

test('a host that is none is refused, and never shown', async (t) => {
	for (const host of [
		'',
		' ',
		'a b',
		'a/b',
		'a@b',
		'a:80',
		'a#b',
		'a?b',
		'a\\b',
		'%31',
		'[::1',
		'1.2.3.4.5.6',
		`${'a'.repeat(254)}`,
	]) {
		const error = await t.throwsAsync(
			resolveTarget(host, { allowPrivate: true, field: 'host' }),
			{ instanceOf: ServiceError },
			host,
		);
		t.is(error?.reason, 'bad-input-data');
		t.is(error?.moreInfo, 'host: expected a host name or an address');
	}
});

test('every address of a name is given, in the order of the resolver', async (t) => {
	const addresses = [
		{ address: '2606:4700::1111', family: 6 as const },
		{ address: '1.1.1.1', family: 4 as const },
	];
	const asked: string[] = [];
	const lookup = async (name: string) => {
		asked.push(name);
		return addresses;
	};
	t.deepEqual(await resolveTarget('One.Example.', { allowPrivate: false, lookup }), addresses);
	t.deepEqual(asked, ['one.example']);
	t.deepEqual(await resolveTarget('1.1.1.1', { allowPrivate: false, lookup }), [{ address: '1.1.1.1', family: 4 }]);
	t.is(asked.length, 1);
});

test('one address that is not allowed refuses the name, without saying which', async (t) => {
	const lookup = async () => [
		{ address: '1.1.1.1', family: 4 as const },
		{ address: '192.168.7.7', family: 4 as const },
	];
	const error = await t.throwsAsync(resolveTarget('mixed.example', { allowPrivate: false, lookup }), {
		instanceOf: ServiceError,
	});
	t.is(error.reason, 'bad-input-data');
	t.is(error.moreInfo, 'targetUri: the host is not allowed');
	t.is((await resolveTarget('mixed.example', { allowPrivate: true, lookup })).length, 2);
});

test('a resolver that answers with another name is not asked to resolve that', async (t) => {
	const lookup = async () => [{ address: 'localhost', family: 4 as const }];
	for (const allowPrivate of [true, false]) {
		const error = await t.throwsAsync(resolveTarget('odd.example', { allowPrivate, lookup }), {
			instanceOf: ServiceError,
		});
		t.is(error.moreInfo, 'targetUri: the host is not allowed');
	}
});

test('a name without addresses is unreachable', async (t) => {
	const error = await t.throwsAsync(resolveTarget('none.example', { allowPrivate: false, lookup: async () => [] }), {
		instanceOf: ServiceError,
	});
	t.is(error.reason, 'target-unreachable');
});

test('a signal ends the wait for a name server', async (t) => {
	const reason = new ServiceError('request-timed-out');
	const control = new AbortController();
	const options = { allowPrivate: true, lookup: () => new Promise<never>(() => {}), signal: control.signal };
	const waiting = resolveTarget('slow.example', options);
	control.abort(reason);
	t.is(await t.throwsAsync(waiting), reason);
	t.is(await t.throwsAsync(resolveTarget('slow.example', options)), reason);
});

test('the machine’s resolver knows this machine; those who ask at one time share the answer', async (t) => {
	const first = systemLookup('localhost');
	t.is(systemLookup('localhost'), first);
	t.true((await first).some(({ address }) => address === '127.0.0.1' || address === '::1'));
	t.not(systemLookup('localhost'), first);
});
