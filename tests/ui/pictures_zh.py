"""What is said in the pictures of the Chinese interface."""

from tests.ui.pictures import CALL, Story, logged, said
from tui_agent.agent.wording import wording
from tui_agent.core.entries import AssistantSaid, Compacted, Detail, Item, Noticed, Size, ToolReturned

ANSWER = """`clamp.go` 只有**一个**函数，返回最近的边界：

```go
func Clamp(v, lo, hi int) int {
    if v < lo { return lo }
    return min(v, hi)
}
```

1. `v` 是数值，
2. `lo` 和 `hi` 是边界。
"""

SUMMARY = """目标：
- 重构 playground/clamp.go 中的解析器

决定与规则：
- 部署密码是 periwinkle-7
- 永远不要改动 main

未完成：
- 为零值写一个测试"""

LONG = """## Clamp

`clamp.go` 把数值限制在两个边界**之间**，参见[说明](https://example.org/notes)：

1. 先读
2. 再测
   - 零
   - 负数

| 情形 | result | n |
|------|:---:|--:|
| 低  | 零  | 0 |
| 高 | nine  | 90 |

```go
func Clamp(v, low, high int) int {
	return max(low, min(v, high))
}
```

> 它从不抛出错误。
"""

COMPACTED = Compacted(
    previous=None,
    upto=4,
    items=(
        Item("i1", "goals", "重构 playground/clamp.go 中的解析器", (1,)),
        Item("i2", "rules", "部署密码是 periwinkle-7", (1, 3)),
        Item("i3", "rules", "永远不要改动 main", (1,)),
        Item("i4", "findings", "sign.go 有 62 行", (6,), tool_only=True),
        Item("i5", "unfinished", "为零值写一个测试"),
    ),
    text=SUMMARY,
    details=(Detail("path", "playground/clamp.go", (1,)),),
    trigger="window",
    model="qwen2.5-0.5b",
    window=8192,
    before=Size(6600, 19_800, 14),
    after=Size(2900, 8_100, 7),
    folded=14,
)

CHINESE = Story(
    (
        logged(1, said("记住：部署密码是 periwinkle-7。永远不要改动 main。"), 41),
        logged(2, AssistantSaid("好的，已记住。"), 41),
        logged(3, said("解析器在哪个文件里？"), 44),
        logged(4, AssistantSaid("`playground/clamp.go`。"), 44),
        logged(5, COMPACTED, 50),
        logged(6, Noticed(wording("zh").merged.format(count=4), "compaction"), 50),
        logged(7, said("clamp.go 是做什么的？"), 51),
        logged(8, AssistantSaid(ANSWER, tool_calls=(CALL,)), 52),
        logged(9, ToolReturned("call-1", "package main\n", name="read_file", subject="playground/sign.go"), 52),
        logged(10, AssistantSaid("两者都很小，没有任何依赖。"), 53),
    ),
    COMPACTED,
    (
        Detail("command", "go test ./playground -run Zero", (3,)),
        Detail("number", "端口 8443", (3,)),
        Detail("path", "playground/sign.go", (4,), "assistant"),
    ),
    "目标：\n- 重构解析器\n\n未完成：\n- 找到文件",
    "请用中文回答",
    "写一个测试",
    ("然后再写一个测试", "[/x] 也要"),
    "半个**回",
    LONG,
    "clamp",
    "请改用 Makefile",
    "端口和主机",
)
