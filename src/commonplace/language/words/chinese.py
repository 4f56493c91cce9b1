"""The words of Chinese, which stand side by side: a pattern may begin and end anywhere."""

import re

from commonplace.language.words.lexicon import Language, Slot, characters

_NUMBER = "(?:\\d+|[一二两三四五六七八九十]{1,3})"


def _slot(
    name: str, state: str, change: str = "", *, is_single: bool = True, found_by: str = ""
) -> Slot:
    return Slot(name, is_single, characters(state), characters(change), found_by.split())


CHINESE = Language(
    name="zh",
    verb_first=False,
    head_first=False,
    capital_nouns=False,
    has_participles=True,
    stops=frozenset("的了是在着过地得把被给就都吧啊呢吗已经个只台条辆把盏一每"),
    articles=frozenset(),
    definite=frozenset(),
    prepositions=frozenset(),
    self_words=frozenset("我"),
    group_words=frozenset("咱"),
    pronouns=frozenset("他她它这那"),
    single=frozenset("名字姓龄生日箱话址码本价费限数库色度口员薪区租算商示期"),
    preferred=characters("最喜欢|首选|主要|主(?=数据)|目前"),
    copulas=characters("是|为"),
    verbs=characters(
        "在|有|喝|吃|(?<!最)喜欢|爱|讨厌|开|拉|去|说|会|叫|支持|监听|运行|部署|轮换|抽烟|养|坐|停|玩|下棋|提交|出发|起飞"
        "|开门|开会|托管|订阅|离婚|已婚|未婚|对|写|存|学|买|付|见|做"
    ),
    roles=characters("是"),
    auxiliaries=characters(""),
    endings=re.compile(r"(?!)"),
    events=characters(
        "(?:去|见|买|付|吃|看|读|修复|修|参加|收到|选|卖|写|完成|打|寄|结束|开始)[^，。]{0,12}了"
    ),
    many=characters("喜欢|爱|讨厌|玩|会|说|喝|吃|去|读|写"),
    slots=(
        _slot(
            "lives", "住在|家在|居住在", "(?:搬|迁|移居)(?:家)?(?:到|去|至)了?", found_by="住 搬"
        ),
        _slot("works", "工作|上班|就职于|任职于", "加入了?|跳槽到了?|入职了?", found_by="工"),
        _slot("role", "担任", "成为了?|升为|当上了?"),
        _slot("age", "\\d+_?岁", "满_?\\d+_?岁|\\d+_?岁了", found_by="岁"),
        _slot("called", "名叫|叫做|名字是|叫", "改名为|改名叫|更名为|重命名为"),
        _slot("born", "出生(?:在|于)"),
        _slot("port", "监听端口|监听"),
        _slot("price", "售价(?:是|为)?|价格(?:是|为)"),
        _slot("owner", "负责|主管|管理", "接管了?|接手了?"),
        _slot("approver", "由(?=.{1,12}(?:批准|负责|管理))"),
        _slot(
            "uses",
            "使用|采用|托管在|运行在|用(?!户)",
            "换成了?|换到了?|改用了?|切换到了?|迁移到了?|转用|升级到了?",
            is_single=False,
            found_by="用",
        ),
        _slot("written", "用(?=[^，。]{1,12}写的)"),
        _slot("prefers", "更喜欢|偏好|(?<!最)喜欢", is_single=False),
        _slot("is in", "在(?!于)"),
        _slot(
            "changes",
            "",
            "(?:改|调|推迟|提前|提高|增加|降低|降|升|延|挪|移|变)(?:到|成|为|至)了?",
        ),
    ),
    fillers=characters(
        "请|记住，?|注意，?|顺便说一下，?|你好，?|仍然|还是|目前|真的|总是|通常|一直|刚刚"
    ),
    changes=characters(
        "现在|如今|(?<=我的)新|(?<=咱的)新|从[^，。]{1,8}(?:起|开始)|今后|以后|改为(?=每)|已经|取而代之|目前已"
    ),
    corrections=characters(
        "其实|更正[：:]?|(?:刚才|我)?(?:说|弄|记|搞)错了|不对|应该是|纠正|我是说|抱歉，?|实际上"
    ),
    additions=characters("也|还(?!是|没)|另外|此外|又|另一|第二|第三|同时"),
    hints=characters("现在|不再|改|换|搬|新"),
    conditions=characters(""),
    exceptions=characters(
        "如果|要是|假如|也许|可能|或许|大概|可以(?=换|改|搬)|想(?=要|搬|换|去|买|卖|学|把)|打算|计划|考虑|希望|准备"
        "|(?:只有|仅)?今天|这周|本周|这个月|这次|破例|例外|暂时|临时|明天|后天|下周|开玩笑|(?:哈){2,}|差点|梦想"
    ),
    past=characters("以前|曾经|过去|当时|小时候|从前|那时|之前|原来|起初|年前"),
    denials=characters("不(?!过|错|同|久|仅)|没有?|别|无法|从未|禁止|讨厌|勿"),
    aversions=characters("讨厌|避免"),
    ended=characters("不再|已不|再也不|停止"),
    over_after=characters(
        "不(?:在|是)(?=[^。]{1,20}而是)|而不是|代替了?|取代了?|替换了?|替代了?|从(?=[^，。]{1,20}(?:换|改|迁|搬|切|转))|放弃了?"
        "|卖掉了?|卖了"
        "|取消了?|离开了?|戒了|戒掉了?|退了|退出了?|停用了?|不用了|辞去了?|退订了?"
    ),
    over_before=characters("(?:已经|已)?(?:废弃|过时|弃用|停用|下线|作废|取消|去世|死)了?"),
    until=characters("换|改|迁|搬|切|转|而|因为|，|。"),
    replaced_by=characters("取代了?|替换了?|替代了?|代替了?"),
    purposes=characters("(?<=[a-zA-Z])_?(?:做|跑|存|当)|的时候|时(?=[，喝吃用])"),
    periods=characters(
        "早上|晚上|下午|上午|中午|夜里|工作日|周末|夏天|冬天|春天|秋天|夏季|冬季|(?:20|19)\\d\\d_?年"
    ),
    values={
        "rhythm": characters(
            f"每{_NUMBER}?_?(?:个)?(?:天|周(?![一二三四五六日])|月|年|小时|分钟|季度)|每日|每星期"
        ),
        "date": characters(f"{_NUMBER}_?月_?{_NUMBER}_?[日号]|\\d{{4}}-\\d{{2}}-\\d{{2}}"),
        "day": characters("(?:周|星期|礼拜)[一二三四五六日天]"),
        "time": characters(f"\\d{{1,2}}[:：]\\d{{2}}|{_NUMBER}_?点(?:半|钟)?"),
        "money": characters("[$€£¥]\\d[\\d.,]*|\\d[\\d.,]*_?(?:欧元|美元|元|块|人民币|英镑)"),
        "open": characters("开放|关闭|关门"),
        "on": characters("启用|禁用|打开|停用"),
        "family": characters("已婚|未婚|离婚|单身|丧偶|订婚"),
    },
    numbers=dict(zip("一二三四五六七八九十", "1 2 3 4 5 6 7 8 9 10".split(), strict=True))
    | {"两": "2"},
)
