// Tests that the browser fills the form from its own store of cards. All fields are in one frame so that it can.

import { formBrowser, merchantPage, openMerchant } from '../helpers/form-browser.ts';
import { autofillTest } from '../helpers/shared-browser.ts';

const CARD = { number: '4111111111111111', name: 'MARIE DUPONT', expiryMonth: '12', expiryYear: '2030', cvc: '123' };

for (const isFramed of [false, true]) {
	autofillTest(
		`Chromium fills every field of the form at once ${isFramed ? 'in a frame' : 'on its own page'}`,
		async (t) => {
			const { formUrl, openPage } = await formBrowser(t);
			const pages: Record<string, string> = {};
			// Under another host name the page belongs to another site, so the browser runs the frame in a process of its own.
			const shop = (await openMerchant(t, pages)).replace('127.0.0.1', 'localhost');
			const url = await formUrl({ postMessageHost: shop });
			pages['/'] = merchantPage({ card: url });
			const { page } = await openPage();
			await page.goto(isFramed ? shop : url);
			const form = isFramed ? page.frame({ name: 'card' })! : page.mainFrame();
			const number = form.locator('#cardNumber');
			await number.click();
			const session = await page.context().newCDPSession(isFramed ? form : page);
			await session.send('Autofill.enable');
			await session.send('DOM.enable');
			const { root } = await session.send('DOM.getDocument', { depth: -1, pierce: true });
			const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#cardNumber' });
			const { node } = await session.send('DOM.describeNode', { nodeId });
			const { frameTree } = await session.send('Page.getFrameTree');
			const whole = await page.context().newCDPSession(page);
			await whole.send('Autofill.enable');
			await whole.send('Autofill.trigger', { fieldId: node.backendNodeId, frameId: frameTree.frame.id, card: CARD });
			t.is(await number.inputValue(), '4111 1111 1111 1111');
			t.regex(await form.locator('#expiry').inputValue(), /^12 \/ (20)?30$/);
			t.is(await form.locator('#nameOnCard').inputValue(), 'MARIE DUPONT');
			t.is(await form.locator('#cvv').inputValue(), '123');
			t.is(await form.locator('#brand').innerText(), 'Visa');
		},
	);
}
