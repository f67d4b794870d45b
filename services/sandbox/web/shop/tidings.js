// The snippet of the browser SDK: it queues calls made before the SDK has loaded. In a file and not
// in the page, because this shop forbids inline scripts.
(function (w) {
  const t = (w.tidings = w.tidings || { queue: [], push: {} });
  if (!t.queue || t.init) return;
  'init identify logout setUser track revenue push.subscribe push.unsubscribe push.state'
    .split(' ')
    .forEach((path) => {
      const name = path.replace('push.', '');
      (name === path ? t : t.push)[name] = (...args) =>
        new Promise((resolve) => t.queue.push([path, args, resolve]));
    });
})(window);

tidings.init({
  applicationId: '{{applicationId}}',
  clientKey: '{{clientKey}}',
  baseUrl: '{{baseUrl}}',
  serviceWorker: '/shop/worker.js',
  onProblem: (problem) =>
    dispatchEvent(new CustomEvent('shop-log', { detail: `tidings: ${problem.code}` })),
});
