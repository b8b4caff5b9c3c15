// @ts-check
// The tray at the foot of every page: a row for each file that is sent, with what can be done with it.

/**
 * @typedef {{ readonly key: string, readonly label: string, act(): void }} Button
 * @typedef {{ readonly text: string, readonly isBad?: boolean, readonly link?: { readonly href: string, readonly text: string, readonly isOutside?: boolean }, readonly buttons: readonly Button[] }} Said
 * @typedef {{ draw(bytes: number, text: string): void, say(said: Said): void, remove(): void }} TrayRow
 */

/**
 * @param {Readonly<Record<string, string>>} texts
 */
export function openTray(texts) {
	const tray = document.createElement('section');
	tray.id = 'tray';
	tray.className = 'tray';
	tray.lang = document.documentElement.lang;
	tray.hidden = true;
	tray.setAttribute('aria-labelledby', 'tray-title');
	const title = document.createElement('h2');
	title.id = 'tray-title';
	title.textContent = texts.tray;
	const list = document.createElement('ul');
	list.id = 'uploads';
	list.className = 'uploads';
	const spoken = document.createElement('p');
	spoken.className = 'unseen';
	spoken.setAttribute('role', 'status');
	tray.append(title, list, spoken);
	document.body.append(tray);

	return {
		/** Says something to those who do not see the tray. @param {string} text */
		tell(text) {
			spoken.textContent = text;
		},
		/** @param {boolean} isBusy */
		mark(isBusy) {
			if (isBusy) tray.dataset.busy = '';
			else delete tray.dataset.busy;
		},
		/**
		 * @param {string} name
		 * @param {number} bytes
		 * @returns {TrayRow}
		 */
		add(name, bytes) {
			tray.hidden = false;
			const row = document.createElement('li');
			const heading = document.createElement('strong');
			heading.textContent = name;
			const bar = document.createElement('progress');
			bar.max = Math.max(1, bytes);
			bar.value = 0;
			bar.setAttribute('aria-label', name);
			const figures = document.createElement('span');
			figures.className = 'figures';
			const said = document.createElement('span');
			said.setAttribute('role', 'status');
			said.ariaAtomic = 'true';
			const spokenName = document.createElement('span');
			spokenName.className = 'unseen';
			spokenName.textContent = `${name}: `;
			const buttons = document.createElement('span');
			buttons.className = 'buttons';
			/** @type {string | undefined} */
			let lastText;
			row.append(heading, bar, figures, said, buttons);
			list.append(row);
			return {
				draw(done, text) {
					bar.value = Math.min(done, bar.max);
					bar.setAttribute('aria-valuetext', text);
					figures.textContent = text;
				},
				say({ text, isBad = false, link, buttons: offered }) {
					// What was said already is not written again, because it would be read out again.
					const isNew = text !== lastText;
					lastText = text;
					if (isNew) said.replaceChildren(spokenName, text);
					said.className = isBad ? 'bad' : '';
					if (link && isNew) {
						const element = document.createElement('a');
						element.href = link.href;
						element.textContent = link.text;
						if (link.isOutside) element.target = '_blank';
						said.append(' ', element);
					}
					const focused = document.activeElement;
					const hadFocus = focused instanceof HTMLElement && buttons.contains(focused);
					buttons.replaceChildren(...offered.flatMap((button) => [buttonOf(button, name), ' ']));
					if (hadFocus) buttons.querySelector('button')?.focus();
				},
				remove() {
					const hadFocus = row.contains(document.activeElement);
					const next = row.nextElementSibling ?? row.previousElementSibling;
					row.remove();
					tray.hidden = list.children.length === 0;
					if (!hadFocus) return;
					const goal = next?.querySelector('button') ?? document.querySelector('main');
					if (goal instanceof HTMLElement) goal.focus();
				},
			};
		},
	};
}

/**
 * @param {Button} button
 * @param {string} name
 */
function buttonOf({ key, label, act }, name) {
	const button = document.createElement('button');
	button.type = 'button';
	button.className = 'plain';
	button.dataset.act = key;
	button.textContent = label;
	button.setAttribute('aria-label', `${label}: ${name}`);
	button.addEventListener('click', act);
	return button;
}
