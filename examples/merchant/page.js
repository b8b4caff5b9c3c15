// @ts-check
// The page of the shop. It shows the vault's form, and passes the token on to the shop's server.

const buy = /** @type {HTMLButtonElement} */ (document.getElementById('buy'));
const card = /** @type {HTMLElement} */ (document.getElementById('card'));
const result = /** @type {HTMLElement} */ (document.getElementById('result'));
const library = /** @type {HTMLScriptElement} */ (document.getElementById('tokendrop'));

buy.addEventListener('click', async () => {
	buy.disabled = true;
	try {
		result.textContent = (await sell()) ? 'Thank you. The book is on its way.' : 'Your bank has declined the card.';
	} catch {
		result.textContent = 'Something went wrong. Please ask us before you try again.';
	}
	card.replaceChildren();
	buy.disabled = false;
});

/** Takes the card, pays for the book with it, and tells whether the book was paid. */
async function sell() {
	result.textContent = '';
	// The page loaded this address before, with its hash, so the browser takes the file that it has already compared.
	const { mountCardForm } = await import(library.src);
	const { orderId, sessionToken } = await post('/orders');
	const form = mountCardForm(card, { sessionToken, autoFocus: true, creatorReference: orderId });
	const { isPaid } = await post(`/orders/${orderId}/payment`, { token: await form.token });
	form.destroy();
	return isPaid;
}

/**
 * @param {string} path
 * @param {object} [body]
 */
async function post(path, body = {}) {
	const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
	if (!answer.ok) throw new Error(`the shop answered ${answer.status}`);
	return answer.json();
}
