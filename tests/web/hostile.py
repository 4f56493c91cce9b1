"""Texts that try to run a script, load something, or break the page."""

HOSTILE = (
    "<script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 2'>",
    "<svg onload='window.pwned = 3'>",
    "[a link](javascript:window.pwned=4) ![i](https://evil.example/x.png)",
    "\"><iframe src='https://evil.example'></iframe>",
    "</textarea></script><script>window.pwned = 5</script>",
    "<style>body { display: none }</style><link rel=stylesheet href=https://evil.example/a.css>",
    "<form action=https://evil.example><button>Forget</button></form>",
    "{{ 7 * 7 }} {% raw %} ${window.pwned = 6}",
    "' onfocus='window.pwned = 7' autofocus='",
    "<a hx-get='https://evil.example' hx-trigger='load'>x</a>",
    "a" * 5_000,
    "\u202egnp.exe \u2066isolated \u0301\u0301\u0301 \U0001f469‍\U0001f469‍\U0001f467",
    "支付服务的超时时间是三十秒。" * 20,
    "خادم النسخ الاحتياطي موجود في فرانكفورت. " * 5,
)
