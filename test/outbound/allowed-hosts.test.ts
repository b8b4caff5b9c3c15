import test from 'ava';
import { isHostAllowed } from '../../src/base/outbound/allowed-hosts.ts';

const judged = test.macro({
	exec(t, host: string, hosts: string[], isAllowed: boolean) {
		t.is(isHostAllowed(host, hosts), isAllowed);
		t.is(isHostAllowed(host, hosts), isAllowed, 'and again, from what was read');
	},
	title: (_, host, hosts: string[], isAllowed) =>
		`${host} is ${isAllowed ? '' : 'not '}one of ${hosts.join(' ') || 'none'}`,
});

test(judged, 'api.example.com', ['api.example.com'], true);
test(judged, 'API.Example.COM', ['api.EXAMPLE.com'], true);
test(judged, 'api.example.com.', ['api.example.com'], true);
test(judged, 'api.example.com', ['other.example', 'api.example.com.'], true);
test(judged, 'xn--bcher-kva.example', ['Bücher.example'], true);
test(judged, 'api.example.com', [], false);
test(judged, 'example.com', ['api.example.com'], false);
test(judged, 'evil-api.example.com', ['api.example.com'], false);
test(judged, 'api.example.com.evil.test', ['api.example.com'], false);
test(judged, 'api.example.com', ['*.example.com'], true);
test(judged, 'a.b.example.com', ['*.Example.com'], true);
test(judged, 'example.com', ['*.example.com'], false);
test(judged, 'evilexample.com', ['*.example.com'], false);
test(judged, 'api.example.com', ['*'], false);
test(judged, 'api.example.com', ['api.*.com'], false);
test(judged, '1.2.3.4', ['*.3.4'], false);
test(judged, '127.0.0.1', ['0x7f.1'], true);
test(judged, '[::1]', ['[::1]'], true);
test(judged, 'api.example.com:8443', ['api.example.com'], true);
test(judged, 'api.example.com:8443', ['api.example.com:8443'], true);
test(judged, 'api.example.com:8444', ['api.example.com:8443'], false);
test(judged, 'api.example.com', ['api.example.com:8443'], false);
test(judged, 'api.example.com', ['api.example.com:443'], true);
test(judged, 'a.example.com:8443', ['*.example.com:8443'], true);
test(judged, 'user@api.example.com', ['api.example.com'], false);
test(judged, '', [''], false);
